infix operator <+>: AdditionPrecedence

prefix func - (value: Vector) -> Vector { value }
func <+> (left: Vector, right: Vector) -> Vector { left }

extension Shop.Cart.Line where Price == Int {
    func discounted() {}
    class Inner {}
}

extension Array<Int> { func sum() -> Int { 0 } }

class Outer {
    func method() {
        func local() {}
        struct Local { func deep() {} }
    }
    func `repeat`(`in` place: String) {}
    func build(@ViewBuilder _ content: () -> some View = { EmptyView() }) -> some View { content() }
    class func shared() -> Outer? { nil }
    override convenience init() {}
    class subscript<Key>(key: Key, default value: Int = 1) -> Int { value }
}

@freestanding(expression)
public macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "Macros", type: "Stringify")

#if DEBUG
// MARK: - Debugging
func trace() {}
#else
func trace(_ level: Int) {}
#endif

func spread(
    first: Int, // the first of all
    second: String = "a, b"
)
    throws -> Int
{
    0
}

func later() async -> ((Int) -> Void)? { nil }
indirect enum Tree { case leaf }
private struct Empty {}
