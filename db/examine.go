package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/jmoiron/sqlx"
)

const (
	// applicationID is "OHMR" in ASCII; the first migration writes it into the database's header.
	applicationID = 0x4f484d52
	// magic begins every SQLite database.
	magic = "SQLite format 3\x00"
	// headerSize is that of SQLite's file header, in bytes.
	headerSize = 100
	// fullCheckUpTo is the size in bytes up to which the whole file is checked at every start; in a
	// larger one only the tables that hold state and configuration are.
	fullCheckUpTo = 64 << 20
)

// checked are the tables that are checked in a database of any size: what makes one large is the log of requests.
var checked = []string{"breakers", "breaker_transitions", "documents"}

// found is what stands at the place of a database.
type found struct {
	exists  bool
	version int64 // of the schema, from 1 to the newest known
}

// examine decides whether the file is a database that this program may open, without writing
// anything, not even a -wal or -shm file beside it, and without a lock: the caller makes sure that
// nobody writes meanwhile, and that this process has no connection open on the file (closing the
// one of this look would drop that one's locks). The errors are *VanishedError, *ForeignFileError,
// *NewerSchemaError, *DamagedError and *UnwritableError.
func examine(ctx context.Context, at location) (found, error) {
	info, err := os.Stat(at.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}, absent(at, "the file does not exist")
	case err != nil:
		return found{}, &UnwritableError{Path: at.path, Err: err}
	case !info.Mode().IsRegular():
		return found{}, &ForeignFileError{Path: at.path, Detail: "it is " + kindOf(info)}
	case info.Size() == 0:
		return found{}, absent(at, "the file is empty")
	}
	if err := examineHeader(at, info.Size()); err != nil {
		return found{}, err
	}
	return examineContent(ctx, at, info.Size())
}

// absent says whether a new database may begin where there is none. At a link that leads nowhere it
// may not: a volume that isn't mounted is likelier than the wish for a new database.
func absent(at location, detail string) error {
	if info, err := os.Lstat(at.file); err == nil && info.Mode().Type() == fs.ModeSymlink {
		detail = "it is a link to a file that does not exist"
		if known, _ := marked(at); !known {
			return &ForeignFileError{Path: at.path, Detail: detail}
		}
	}
	known, err := marked(at)
	switch {
	case err != nil:
		return &UnwritableError{Path: at.path, Err: err}
	case known:
		return &VanishedError{Path: at.path, Marker: at.marker(), Detail: detail}
	}
	return nil
}

func kindOf(info fs.FileInfo) string {
	if info.IsDir() {
		return "a directory"
	}
	return "not a regular file (" + info.Mode().Type().String() + ")"
}

// examineHeader looks at the bytes that SQLite would answer with one error for all.
func examineHeader(at location, size int64) error {
	file, err := os.Open(at.file)
	if err != nil {
		return &UnwritableError{Path: at.path, Err: err}
	}
	header := make([]byte, headerSize)
	n, err := io.ReadFull(file, header)
	header = header[:n]
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return &UnwritableError{Path: at.path, Err: err}
	}
	if !strings.HasPrefix(string(header), magic) {
		if known, _ := marked(at); known {
			return &DamagedError{Path: at.path, Detail: "its header is not that of an SQLite database"}
		}
		return &ForeignFileError{Path: at.path, Detail: "it is not an SQLite database"}
	}
	if n < headerSize {
		return &DamagedError{Path: at.path, Detail: fmt.Sprintf("it ends after %d bytes", n)}
	}
	if write, read := header[18], header[19]; write < 1 || write > 2 || read < 1 || read > 2 {
		return &DamagedError{Path: at.path, Detail: fmt.Sprintf("its header has file format %d/%d", write, read)}
	}
	// SQLite reads the missing end of a page as zeros. While there is a log, the page may be in it. The page size is two bytes in which 1 stands for 65,536.
	if page := int64(header[16])<<8 | int64(header[17])<<16; page > 0 && size%page != 0 && !logged(at) {
		return &DamagedError{Path: at.path, Detail: fmt.Sprintf("it ends after %d bytes, in the middle of a page", size)}
	}
	return nil
}

// logged says whether there are commits in a write-ahead log.
func logged(at location) bool {
	log, err := os.Stat(at.file + "-wal")
	return err == nil && log.Size() > 0
}

// examineContent looks at what SQLite reads in the file and its write-ahead log.
func examineContent(ctx context.Context, at location, size int64) (f found, err error) {
	look, err := openStill(at)
	if err != nil {
		return found{}, err
	}
	defer func() { err = errors.Join(err, look.Close()) }()

	var application, version int64
	if err := look.GetContext(ctx, &application, "PRAGMA application_id"); err != nil {
		return found{}, unreadable(at.path, err)
	}
	if application != applicationID {
		return found{}, &ForeignFileError{
			Path: at.path, Detail: fmt.Sprintf("it is an SQLite database with application id %#x", application),
		}
	}
	if err := look.GetContext(ctx, &version, "PRAGMA user_version"); err != nil {
		return found{}, unreadable(at.path, err)
	}
	known, err := newest()
	switch {
	case err != nil:
		return found{}, err
	case version > known:
		return found{}, &NewerSchemaError{Path: at.path, Found: version, Known: known}
	case version < 1:
		return found{}, &DamagedError{Path: at.path, Detail: fmt.Sprintf("its header has schema version %d", version)}
	}
	if err := check(ctx, look, at, size); err != nil {
		return found{}, err
	}
	return found{exists: true, version: version}, nil
}

// openStill opens the file as it lies, for reading.
func openStill(at location) (*sqlx.DB, error) {
	settings := still
	if logged(at) {
		settings = stillWithLog
	}
	return pool(at.file, settings, 1)
}

// check lets SQLite walk the pages of the database. Rows that break a CHECK are none of its
// business: they are told one by one when they are read.
func check(ctx context.Context, look *sqlx.DB, at location, size int64) error {
	if _, err := look.ExecContext(ctx, "PRAGMA ignore_check_constraints = ON"); err != nil {
		return unreadable(at.path, err)
	}
	questions := []string{"PRAGMA quick_check(1)"}
	if size > fullCheckUpTo {
		questions = questions[:0]
		for _, table := range checked {
			questions = append(questions, "PRAGMA quick_check("+table+")")
		}
	}
	for _, question := range questions {
		var answer []string
		if err := look.SelectContext(ctx, &answer, question); err != nil {
			return unreadable(at.path, err)
		}
		if len(answer) == 0 || answer[0] != "ok" {
			return &DamagedError{Path: at.path, Detail: strings.Join(answer, "; ")}
		}
	}
	return nil
}

// unreadable types the failure to read a file that has the header of a database.
func unreadable(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if known := typed(path, err); known != nil {
		return known
	}
	return &DamagedError{Path: path, Detail: err.Error(), Err: err}
}
