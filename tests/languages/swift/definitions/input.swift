import Foundation
@testable import Shop
import struct Shop.Money

/// A basket of items.
///
/// Kept until it is paid.
@MainActor
public final class Cart<Item: Codable>: Base, Countable where Item: Hashable {
    @Published private(set) var items: [Item] = []

    /// Start with nothing in it.
    public init?(owner: String = "nobody", _ limit: Int, then done: @escaping () -> Void) throws {
    }

    deinit { close() }

    /**
     Add up the prices.
     */
    @discardableResult
    @objc(sumOf:) public static func total<T>(_ items: inout [T], rate: Double...) async throws -> [T] where T: Priced {
        items
    }

    subscript(index: Int) -> Item { get { items[index] } }

    static func == (lhs: Cart, rhs: Cart) -> Bool { true }

    struct Line { func price() -> (Int, String) { (1, "") } }
}

protocol Countable: AnyObject {
    associatedtype Element
    var count: Int { get }
    /// How many there are.
    func count(of element: Element) -> Int
    init(count: Int)
}

extension Cart: Closeable {
    mutating func close() {}
}

enum Status: String, CaseIterable {
    case open, paid
    indirect case nested(Status)
    func label() -> String { rawValue }
}

public actor Till {
    nonisolated func ring() {}
}

typealias Prices = [String: Money]

func tax(on amount: Double, rate: Double = 0.2) -> Double {
    return amount * rate
}
