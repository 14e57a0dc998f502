package db

import "path/filepath"

// location is where a database lies.
type location struct {
	path string // absolute, as the operator named it: in errors, and the marker is beside it
	file string // with links followed: SQLite's own files and the lock are beside it
}

func locate(path string) (location, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return location{}, err
	}
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		file = path
	}
	return location{path: path, file: file}, nil
}

// beside are the files that SQLite keeps beside a database file.
func beside(file string) []string {
	return []string{file + "-wal", file + "-shm", file + "-journal"}
}
