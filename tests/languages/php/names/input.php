<?php
// Größe: names come after bytes that are no letters of ASCII
namespace Shop\Basket;

use Shop\Model\Item;
use Shop\Model\{Price as Cost, Tax\Rate, function rounded};
use function Shop\Text\format as asText;
use const Shop\LIMIT;

require_once __DIR__ . "/../lib/helper.php";
require "bootstrap.php";
include 'partials/header.php';
include_once($folder . '/footer.php');

const CURRENCY = '€', DIGITS = 2;
$registry = new Registry(CURRENCY);

#[Entity(table: Tables::BASKETS), Tracked]
final class Basket extends Model\Base implements \Countable, Sellable
{
    use Dated, Events\Publishes { Dated::stamp as protected touch; }

    const LARGEST = 20;
    public const string SMALLEST = self::LARGEST . 'x';
    private ?Item $first = null;
    protected static int|Rate $rate, $other;

    public function __construct(private readonly Clock $clock, protected array $items = new Items(), int $plain = LIMIT)
    {
        parent::__construct($clock);
        static::$opened = Store::$count + Model\Shelf::$count;
        $this->each([$this, 'total'])->then(array_map(rounded(...), $items));
    }

    #[Route('/total'), Checks\Positive]
    public function total(?Cost $cost, Item&Sellable $item, self $other, callable $by): static|Sum
    {
        $local = fn (Item $item): Sum => $item?->price($cost);
        try {
            \usort($items, [Sorter::class, "byPrice"]);
            Text\log(DIGITS, Model\Level::Info, $this->clock, name: \Shop\NAME);
        } catch (Broken | Errors\Closed $error) {
            throw new \RuntimeException("no {$error}");
        }
        if ($item instanceof Rate) { Text\Log::add(['at' => $this->at]); }
        return $item instanceof Errors\Failed ? new static($item) : Sum::of(['by' => self::LARGEST, 'pair' => DIGITS])->{$by}();
    }
}

interface Sellable extends Named, Model\Priced { const FREE = 0; public function sell(): void; }

enum Size: string implements Named { case Small = 's'; case Large = 'l'; const First = self::Small; }

trait Dated { public string $at = 'now'; }

function serve(Basket $basket): Reply
{
    $listener = new class($basket) extends Listener implements Named { use Dated; public $heard; };
    return isset($basket) && empty(__CLASS__) ? $handle($basket, TRUE, null) : (new Reply)->with($listener, Basket::LARGEST, ['a b', 'c']);
}
