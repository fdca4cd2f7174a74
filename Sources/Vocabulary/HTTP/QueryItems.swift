/// The decoded items of a query, in order.
package struct QueryItems: Sendable, Equatable {
    package let items: [Item]
    /// The names, as sent, of items that were skipped: a malformed escape, or text that is not UTF-8.
    package let unreadableNames: [String]

    package struct Item: Sendable, Equatable {
        package let name: String
        /// Empty when the item has no "=".
        package let value: String

        package init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// Why a query is not read, for the person who sent it.
    package static let refusal =
        "the query has a malformed escape or more than \(Limits.queryItemCount) parameters"

    private init(_ items: [Item], _ unreadableNames: [String]) {
        (self.items, self.unreadableNames) = (items, unreadableNames)
    }

    /// These items, followed by others.
    package func appending(_ others: [Item]) -> QueryItems {
        QueryItems(items + others, unreadableNames)
    }

    /// Reads a query as sent, without "?"; nil gives no items.
    ///
    /// Nil when there are too many, or, unless `skipsUnreadable`, when an escape is malformed or an item is
    /// not UTF-8.
    package init?(reading query: String?, plusIsSpace: Bool = true, skipsUnreadable: Bool = false) {
        var (items, rest): ([Item], Substring) = ([], query?[...] ?? "")
        var unreadable: [String] = []
        items.reserveCapacity(4)
        while !rest.isEmpty {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
            let part = rest[..<end]
            rest = Substring(rest[end...].utf8.dropFirst())
            if part.isEmpty { continue }
            guard items.count + unreadable.count < Limits.queryItemCount else { return nil }
            if let item = Self.item(part, plusIsSpace) {
                items.append(item)
            } else if skipsUnreadable {
                unreadable.append(String(part.prefix { $0 != "=" }))
            } else {
                return nil
            }
        }
        (self.items, unreadableNames) = (items, unreadable)
    }

    /// The first value of a name; names are case-sensitive.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The names that occur more than once, each once, in the order of their first occurrence.
    package var repeatedNames: [String] {
        var repeated: [String] = []
        for (index, item) in items.enumerated() where !repeated.contains(item.name) {
            if items[(index + 1)...].contains(where: { $0.name == item.name }) { repeated.append(item.name) }
        }
        return repeated
    }

    private static func item(_ part: Substring, _ plusIsSpace: Bool) -> Item? {
        guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return PercentEncoding.decoded(part, plusIsSpace: plusIsSpace).map { Item(name: $0, value: "") }
        }
        let value = part[part.utf8.index(after: equals)...]
        guard let name = PercentEncoding.decoded(part[..<equals], plusIsSpace: plusIsSpace),
            let decoded = PercentEncoding.decoded(value, plusIsSpace: plusIsSpace)
        else { return nil }
        return Item(name: name, value: decoded)
    }
}
