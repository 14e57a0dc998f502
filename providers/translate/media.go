package translate

import "strings"

// mediaAt reads where an image or a file is from a URL, which may hold the bytes itself.
func mediaAt(url string) media {
	if rest, ok := cutScheme(url, "data:"); ok {
		if head, data, ok := strings.Cut(rest, ","); ok {
			if mimeType, encoded := strings.CutSuffix(head, ";base64"); encoded {
				mimeType, _, _ = strings.Cut(mimeType, ";")
				return media{mimeType: mimeType, data: data}
			}
		}
	}
	return media{url: url}
}

// at is a URL of the media: the one behind which it is, or one that holds the bytes itself. It is empty for media that
// the provider keeps. otherwise is the type of bytes that nobody told the type of.
func (m media) at(otherwise string) string {
	if m.data == "" {
		return m.url
	}
	mimeType := m.mimeType
	if mimeType == "" {
		mimeType = otherwise
	}
	return "data:" + mimeType + ";base64," + m.data
}

// cutScheme takes a scheme off a URL; schemes are the same in any case.
func cutScheme(url, scheme string) (rest string, ok bool) {
	if len(url) < len(scheme) || !strings.EqualFold(url[:len(scheme)], scheme) {
		return url, false
	}
	return url[len(scheme):], true
}
