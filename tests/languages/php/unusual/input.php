<?php
if (!function_exists('str_loud')) {
    function str_loud($text) { return strtoupper($text); }
}

function outer() {
    function inner() {}
    return function ($x) { return $x; };
}

namespace Braced {
    readonly class Point {}
    class Match_ { public function list() {} public function class() {} }
}

namespace {
    return new class(1) extends Migration implements Runs {
        public function up(): void {}
    };
}

class Hooked
{
    public string $full { get => $this->first; set(string $value) { $this->first = $value; } }
    public function types(A&B $both, (A&B)|null $either, callable $then = null, /* why */ int $n = PHP_INT_MAX): never {}
    #[Route('/x'), Cached] #[Since(1)]
    public
    static
    function spread(): self
    {
    }
}

$arrow = fn(int $x) => $x;
