using Pair = (int Left, int Right);

namespace Shop;

public static partial class StringExtensions
{
    public static bool IsBlank(this string text) => text.Length == 0;
    static partial void OnLoad();
    public extern static int GetTickCount();
    static StringExtensions() { }
}

public abstract record struct Point<T>(T X, T Y = default);

class Service(ILogger logger, int retries) : Base(logger), IService
{
    public event Action Opened, Closed;
    public event Action Custom { add { } remove { } }

    public string Name
    {
        get
        {
            string Inner() => "inner";
            return Inner();
        }
    }

    protected abstract (int Count, string Text) Parse<TIn, TOut>((int, int) pair, TOut @out = default)
        where TOut : new();

    unsafe int* Address(int* start, delegate*<int, void> each) => start;
    ref readonly int First() => ref items[0];
    void @lock() { }
    public static explicit operator checked int(Service service) => 1;
    public static bool operator true(Service service) => true;
    public static Service operator ++(Service service) => service;
    delegate int Compare(object a, params object[] rest);

    class Nested { enum Mode { On } struct Deep { void Down() { } } }

#if DEBUG
    [Conditional("DEBUG")]
#endif
    public void Trace(string text)
    {
#if VERBOSE
        if (text != null) {
#else
        if (text == @"{") {
#endif
            Write(text);
        }
    }

#region Closing
    /// <inheritdoc/>
    public void Close() { }
#endregion

#if NET8_0
    public void OnlyNew() { }
#else
    public void OnlyOld() { }
#endif
}

file interface IHidden { static abstract IHidden operator -(IHidden value); }
