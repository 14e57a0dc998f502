package translate

import "encoding/json"

// valid tells whether a text is JSON. A text of nothing but brackets is none: gjson's own check goes down into it by
// recursion, until the process has no stack left.
func valid[Text string | []byte](text Text) bool { return json.Valid([]byte(text)) }
