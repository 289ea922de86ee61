using System;
using static System.Math;
using Text = System.Text;
global using System.Collections.Generic;

namespace Shop.Orders
{
    using Shop.Payments;

    /// <summary>
    /// An order, see <see cref="T:Shop.Customer"/>.
    /// </summary>
    /// <remarks>Not thread safe.</remarks>
    [Serializable]
    public sealed class Order<T> : Entity<T>, IOrder where T : class, new()
    {
        private readonly int count = 3;
        public int Id { get; set; }
        public int this[int index] => index;

        /// <summary>Told when it changes.</summary>
        public event EventHandler Changed;

        // Not a doc comment.
        public Order(int id, string name = "none") : base(id) { Id = id; }

        ~Order() { }

        /// <summary>Adds a line &amp; tells <c>Changed</c>.</summary>
        /// <param name="sku">What.</param>
        [Obsolete("Use Put"), Audit]
        public async Task<List<int?>> AddLine(
            [Required] string sku,
            ref int count, // how many
            params object[] rest)
        {
            int Twice(int value = 1) => value * 2;
            return await store.Save(sku, Twice(count));
        }

        void IOrder.Close() => Id = 0;

        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        public static implicit operator int(Order<T> order) => order.Id;
    }

    public interface IOrder : IDisposable { void Close(); int Lines { get; } }
    public readonly struct Money { public decimal Amount; }
    public enum Status : byte { Open, Closed }
    public record Line(string Sku, int Count) : Item(Sku), IComparable;
    /// <summary>
    /// Handles a change.
    /// </summary>
    public delegate void Changed<in TSource>(TSource sender);
}
