import Foundation // „Brötchen“
import struct Bakery.Loaf

@MainActor @available(iOS 13, *)
public final class Shop<T: Bread & Cheap>: bakery.Store<T>, Runnable where T: Sorted {
    static let limit = 3
    static var opened = 0
    private(set) var shelf: [Loaf] = [], owner: Owner?
    @Published var prices: [Key: Price] = sorted(byName)
    let (left, right) = halves()
    var size: Int { let local = 1; return weigh(local) }

    enum State: String, Shown { case fresh(Code, since: Time), stale; case `default` = "x" }

    init?(id: Id, count: Int = Limit.value) throws { super.init(id); self.shelf = [] }

    func sell<A: Shown>(_ orders: A, to more: bakery.Extra..., then: @escaping (Event) -> Void) async throws -> some View {
        orders.map(bake).filter { $0.isNew }.forEach(self.show).sort(State.fresh, .stale, shop.clock, by: age)
        switch state { case let batch as Batch: batch; case .fresh(let code): eat(code); case State.stale: nil; case is Pie: 2 }
        do { try till?.open() } catch let error as Stuck { throw Oops.jammed("sell(it) \(error) \(tell(it))") }
        if let target = made as? Baked, orders is bakery.Batch, case .`default` = state, !closed(Shelf<Loaf>.top) {}
        Shelf<Int>(1); bakery.Tray.Row(2); [Cake](); owner!.shout(); (callback)(3); .init(first)
        let table = ["mix": mix, "bake": Oven.heat]; let steps = [open, close]
        #selector(Shop.onTap); \Shop.shelf; #warm(oven); Shop.self
    }
}

extension Bakery.Shop: Equatable { static func == (left: Shop, right: Shop) -> Bool { same(left) } }

protocol Priced: Shown, Sorted { associatedtype Money: Clone; var price: Money { get }; func round() -> Money }

typealias Handler = (Event) -> Void

struct Tray { let loaf: Loaf, row: Row; @State private var count = Count() }

let top = 1
