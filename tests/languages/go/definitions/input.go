// Package shop sells things.
package shop

import "context"
import (
	// for errors
	"errors"

	cfg "example.com/shop/config"
	_ "example.com/drivers/postgres"
)

// Cart holds what a customer wants.
//
// It is not safe for concurrent use.
type Cart[T any] struct {
	items []T
	meta  struct{ created int64 }
}

type (
	// Price in cents.
	Price int64

	Handler func(ctx context.Context) error
	Alias = Cart[int]
)

/*
Visitor sees every item.
*/
type Visitor[T any] interface {
	// Visit is called once for each item.
	Visit(item T) (more bool, err error)
	Done()
}

//go:noinline
// Add puts items into the cart.
func (c *Cart[T]) Add(first T, rest ...T) *Cart[T] {
	type local struct{ n int }
	add := func(item T) { c.items = append(c.items, item) }
	add(first)
	return c
}

func (Price) String() string { return "" }

// this comment has nothing to do with the function

func total(a, b Price, names map[string]int) (sum Price, err error) { // trailing
	return a + b, nil
}

var counter = 1 // counts
func next(
	step int, // how far
	_ func(int) bool,
) int {
	return step
}
