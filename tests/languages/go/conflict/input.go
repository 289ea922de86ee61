package ledger

import (
<<<<<<< HEAD
	"os"
=======
	"io"
>>>>>>> topic
	"fmt"
)

<<<<<<< HEAD
// Sum adds ours.
func Sum(a int) int {
	if a > 0 {
||||||| base
func Sum() int {
=======
// Sum adds theirs.
func Sum(a, b int) int {
	for {
		if b > 0 {
>>>>>>> topic
		return a
	}
	return 0
}

type Entry struct {
<<<<<<< HEAD
	amount int
=======
	amount int64
>>>>>>> topic
}

// After the conflicts.
func After() error { return nil }
