<?php
function before(int $a): int
{
    return $a;
}

class Damaged
{
    public function first(): void {}

    public function
    if ($a { $a(); }

    public function last(): void {
        $a = ;
        return [1, ;
    }
}

function after(string $b): string
{
    return $b;
}

class After { public function inside() {} }

function
