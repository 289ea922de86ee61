<?php

declare(strict_types=1);

namespace Shop\Orders;

use Shop\Money;
use Shop\Mail\Sender as Mailer;
use function Shop\format, Shop\parse;
use const Shop\LIMIT;
use Shop\Stock\{
    Item,
    Shelf as Rack,
    function count,
};
use \Countable;

require __DIR__ . '/vendor/autoload.php';
include_once('lib/compat.php');
require $anything;

/**
 * An order placed by a customer.
 *
 * @author nobody
 */
#[Entity(table: 'orders')]
final class Order extends Model implements Countable, \Shop\Payable
{
    use SoftDeletes;

    public const MAX = 10;
    private array $lines = [];

    /** Start without lines. */
    public function __construct(
        private readonly int $id,
        protected ?Mailer $mailer = null,
        string ...$tags,
    ) {
    }

    #[Pure]
    public static function &find(int|string $id = 5, array &$options = []): ?static
    {
        return new static($id);
    }

    abstract protected function later(): void;

    // Not a doc block, and one all the same.
    function count() { return 0; }
}

interface Payable extends Priced, Dated
{
    public function pay(Money $money): bool;
}

trait Loud
{
    private function shout(string $text) { return strtoupper($text); }
}

enum Status: string implements HasLabel
{
    case Open = 'open';

    public function label(): string { return $this->value; }
}

abstract class Base {}

/** Add the tax. */
function tax(float $amount, float $rate = 0.2): float
{
    return $amount * $rate;
}
