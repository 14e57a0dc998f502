// Package web holds the files of the dashboard: one page, its style and its modules, as they are sent. There is no
// build step, and nothing comes from another host.
package web

import (
	"embed"
	"io/fs"
)

//go:embed static
var embedded embed.FS

// Files are the dashboard's: index.html, which is the page, and below assets what it loads.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "static")
	if err != nil {
		panic(err) // the name is a constant that the compiler has looked up
	}
	return files
}
