// „Küche“ – 台所: Cook() in a comment is not used.
using System;
using static Kitchen.Tools.Knives;
using Stock = Kitchen.Pantry.Shelf<Spice>;

namespace Kitchen.Meals;

[Serializable, Menu(Season.Winter, typeof(Guest))]
public class Soup<TBase> : Dish<TBase>, IServable, Kitchen.IHot where TBase : Broth, new()
{
    const int Servings = 4, Spoons = 8;
    private static readonly Dictionary<string, Tools.Pot[]> pots = new() { ["big"] = MakePot };
    Cook? cook, helper = Hire();
    public Bowl Served { get; private set; } = Bowl.Empty;
    public int Left => bowls.Count();
    public event TastedHandler Tasted;
    Spoon this[Size size] => spoons[size];

    public Soup(Water water) : base(Boil(water)) { }

    [Obsolete]
    public async Task<List<Bowl>> Serve([FromBody] Table table, Func<Guest, Chair> seat)
    {
        var ladle = new Ladle(table, this.Pour) { Depth = deep };
        Tray tray = new(ladle);
        await waiter.Carry<Plate>(tray, Status.Hot, when: Later);
        cook?.Rest(); kitchen?.Stove?.Heat(); Stir(); Taste<Salt>(); base.Serve();
        if (table is RoundTable round && table is not Kitchen.Bench) { }
        var chair = (Chair)seat; var stool = table as Stool;
        switch (table) { case Bench bench: break; case Kind.Bar: break; }
        try { } catch (BurntException burnt) when (burnt.IsBad()) { throw new Tools.Alarm(); }
        Tasted += OnTasted;
        foreach (Guest guest in table.Guests) { }
        Log($"{Name(cook)}: Cook()", nameof(Servings), out Bill bill, out _);
        return guests.Select(Bowls.For).ToList();
        Bowl Fill(Spoon spoon) => new Bowl.Deep(spoon);
    }

    void IServable.Clear() { }
    public static Soup<TBase> operator +(Soup<TBase> soup, Salt salt) => soup;
}

enum Season : byte { Summer, Winter = 2 }
delegate void TastedHandler(Spoon spoon);
record Bill(Money Total, int @class) : Paper(Total), IPayable;
