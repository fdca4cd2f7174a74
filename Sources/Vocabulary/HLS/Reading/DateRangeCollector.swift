import Timeline

/// Merges EXT-X-DATERANGE tags of one ID: later ones may add attributes, not change them (RFC 8216bis
/// §4.4.5.1).
struct DateRangeCollector {
    private var lists: [AttributeList] = []
    private var indexOfID: [String: Int] = [:]

    /// Adds the attributes of a tag and returns whether they have an ID.
    mutating func add(
        _ attributes: AttributeList, _ context: inout ReadingContext
    ) throws(PlaylistError) -> Bool {
        guard let id = attributes["ID"] else { return false }
        guard let index = indexOfID[id] else {
            indexOfID[id] = lists.count
            lists.append(attributes)
            return true
        }
        for attribute in attributes.attributes where !lists[index].append(attribute) {
            if lists[index][attribute.name] != attribute.value { context.note(.conflictingAttribute) }
        }
        try context.check(lists[index].attributes.count, .attributes, context.limits.attributeCount)
        return true
    }

    /// The ranges in the order of their first tags; the collector is empty afterwards.
    mutating func finish(years: ClosedRange<Int64>) -> [DateRange] {
        lists.indices.compactMap { index in
            let attributes = lists[index]
            // Each list is dropped as soon as it is read, so that both forms of all never coexist.
            lists[index] = AttributeList()
            return DateRange(attributes, years: years)
        }
    }
}
