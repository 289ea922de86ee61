// Package shop bakes „Brötchen“: bake() in a comment is not used.
package shop

import (
	"context"
	. `fmt`

	heat "bakery.example/oven"
)

const Limit, rows = 3, iota
const closing Hour = 18

var shelf = map[string]func(int){"mix": mix, "bake": heat.Bake, Key: {}}
var (
	first Priced = (*Loaf)(nil)
	steps        = []Step{open, heat.Close, {name: "cut", run: cut}}
)

// Loaf is sold by weight.
type Loaf[T Flour] struct {
	Dough
	*heat.Crust
	Filling[T]
	weight, age int
	box         struct{ lid Lid }
	bake        func(ctx context.Context) (Cake, error)
}

type Priced interface {
	Named
	heat.Timed
	~int | Cents
	Price(day Day) (total Cents)
}

type Order = heat.Order

func (l *Loaf[T]) sell(to heat.Customer, more ...Extra) (err error) {
	const local = 1
	type receipt struct{ sum Cents }
	defer l.close(local)
	go notify(to)
	price := Cents(weigh[T](l).round(heat.Exactly, l.age))
	tray := heat.NewTray[Loaf[T], Row](price, rows)
	copied := (*Tray)(nil)
	(l.bake)(ctx)
	switch made := found.(type) {
	case Pie, *heat.Slice:
		made.eat("sell(it)")
	}
	if cake, ok := made.(Cake); ok && sort.By(&shelf, byAge) {
		return heat.Errorf("cake %v", cake)
	}
	next := func(day Day) bool { return open(day) }
	return &Burnt{at: now, why: heat.Reason}
}
