/// The decoded items of a query, in order.
package struct QueryItems: Sendable, Equatable {
    package let items: [Item]

    package struct Item: Sendable, Equatable {
        package let name: String
        /// Empty when the item has no "=".
        package let value: String
    }

    /// Reads a query as sent, without "?"; nil gives no items.
    ///
    /// Nil when an escape is malformed, an item is not UTF-8, or there are too many.
    package init?(reading query: String?, plusIsSpace: Bool = true) {
        var items: [Item] = []
        for part in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            guard items.count < Limits.queryItemCount, let item = Self.item(Substring(part), plusIsSpace)
            else { return nil }
            items.append(item)
        }
        self.items = items
    }

    /// The first value of a name; names are case-sensitive.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The names that occur more than once, each once, in the order of their first occurrence.
    package var repeatedNames: [String] {
        var counts: [String: Int] = [:]
        for item in items { counts[item.name, default: 0] += 1 }
        return items.map(\.name).filter { counts.removeValue(forKey: $0) ?? 0 > 1 }
    }

    private static func item(_ part: Substring, _ plusIsSpace: Bool) -> Item? {
        let halves = part.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = halves.first.map(Substring.init),
            let decoded = PercentCoding.decoded(name, plusIsSpace: plusIsSpace)
        else { return nil }
        guard halves.count == 2 else { return Item(name: decoded, value: "") }
        return PercentCoding.decoded(Substring(halves[1]), plusIsSpace: plusIsSpace).map {
            Item(name: decoded, value: $0)
        }
    }
}
