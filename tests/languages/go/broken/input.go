package ledger

// Before the damage.
func Before(a int) int { return a }

func half(a int, b {
}

// Sum adds.
func Sum(a, b int) int {
	return a +
}

// Entry is one line.
type Entry struct {
	amount int
	note   string =
}

// Merged is in a conflict.
func Merged(a int) int {
<<<<<<< ours
	return a
=======
	return a + 1
>>>>>>> theirs
}

<<<<<<< ours
func (e *Entry) Close() error {
=======
func (e *Entry) Close(now bool) error {
>>>>>>> theirs
	return nil
}

if (amount) {
}

func twice() {
}
}

func (e *Entry) Note() string {
	note := "never closed
	return note
}

// After the damage.
func After(done bool) (err error) {
	return nil
}

func last() {
	for
