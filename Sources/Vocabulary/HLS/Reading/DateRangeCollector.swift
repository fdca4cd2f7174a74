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
            if lists[index][attribute.name] != attribute.value { context.note(.conflictingTag) }
        }
        try context.check(lists[index].attributes.count, .attributes, context.limits.attributeCount)
        return true
    }

    func finished(years: ClosedRange<Int64>) -> [DateRange] {
        lists.compactMap { DateRange($0, years: years) }
    }
}
