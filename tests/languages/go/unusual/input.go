// Copyright of nobody.

//go:build linux && !arm
// +build linux,!arm

package pantry

import (
	"fmt"; "os"
	. "strings"
	yaml "gopkg.in/yaml.v3" // reads labels
)
import ()

// Set has each thing once.
type Set[T comparable] map[T]struct{}

type Pair[K comparable, V any] = struct { key K; value V }
type Named = interface { Name() string }

type (
	// Shelf holds jars of one kind.
	Shelf[T interface{ ~int | ~string; Less(T) bool }] struct {
		*Board
		sync.Mutex
		left, right *Shelf[T]
		visit func(interface{ Seen() bool }) error
	}

	// Jar opens and closes.
	Jar interface {
		io.Reader
		fmt.Stringer
		~int | string

		// Open it, if that can be done.
		Open(by Hand, _ ...Tool) (full bool, err error)
	}
	Step func(
		from, to int,
	) (int, error)
)

// Walk visits all, from left to right.
//
//nolint:gocyclo
func (s *Shelf[T]) Walk(visit func(T) bool) (seen int) {
	type state struct {
		left bool
	}
	type visitor interface{ Visit(T) }
	return
}

func (*Set[_]) Len() int { return 0 }
func (p Pair[K, V],) Get(K) (V, bool) { panic("none") }

func Keys[M ~map[K]V, K comparable, V any](m M) []K {
	var found interface{ Foo() } = nil
	_ = found.(interface{ Bar() int })
	go func() { func() {}() }()
	return nil
}

func init() {}
func init() {}

//go:noescape
func copied(to, from uintptr, size uint64) (n uint64)

var fallback = func(w int) {}

func serve(
	ctx context.Context,
	options ...func(*Options), // applied in order

	// what to answer with
	answer <-chan map[string][]byte,
) (
	result string,
	err error,
) {
	return
}
