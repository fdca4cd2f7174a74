/// The version of a resource, as an entity tag: times in seconds cannot distinguish versions.
package struct Validators: Sendable, Equatable {
    package var entityTag: EntityTag?

    package init(entityTag: EntityTag?) {
        self.entityTag = entityTag
    }
}

/// The outcome of a request's conditions (RFC 9110 §13.2.2).
///
/// There are no modification dates, so conditions by date are ignored (§13.1.3, §13.1.4).
package enum Preconditions: Equatable, Sendable {
    case proceed
    /// Answer 304.
    case notModified
    /// Answer 412.
    case preconditionFailed

    /// Evaluates the conditions of a request in the order of the standard; `current` is nil when the resource
    /// does not exist.
    package static func evaluated(
        method: HTTPMethod, headers: HTTPHeaders, current: Validators?,
    ) -> Preconditions {
        guard mayChange(headers, current) else { return .preconditionFailed }
        let match = headers.values(of: "If-None-Match")
        if match.isEmpty { return .proceed }
        let isMatch =
            isUsual(match, current)
            || EntityTagCondition(reading: match).map { matchesWeakly($0, current) } ?? false
        guard isMatch else { return .proceed }
        return method == .get || method == .head ? .notModified : .preconditionFailed
    }

    /// Whether the condition is just the current tag, as nearly all clients send it.
    private static func isUsual(_ values: [String], _ current: Validators?) -> Bool {
        guard values.count == 1, let tag = current?.entityTag else { return false }
        let (value, opaque) = (values[0].utf8, tag.opaque.utf8)
        let quote = UInt8(ascii: "\"")
        return value.count == opaque.count + 2 && value.first == quote && value.last == quote
            && value.dropFirst().dropLast().elementsEqual(opaque)
    }

    /// Whether the Range applies: there is no If-Range, or it names the current version (RFC 9110 §13.1.5).
    static func rangeApplies(headers: HTTPHeaders, current: Validators) -> Bool {
        guard let value = headers["If-Range"] else { return true }
        guard let tag = EntityTag(reading: FieldList.trimmed(value[...])) else { return false }
        return current.entityTag?.matchesStrongly(tag) ?? false
    }

    /// A malformed If-Match fails, because the client asked for protection.
    private static func mayChange(_ headers: HTTPHeaders, _ current: Validators?) -> Bool {
        let match = headers.values(of: "If-Match")
        if match.isEmpty { return true }
        return switch EntityTagCondition(reading: match) {
        case .any: current != nil
        case .tags(let tags): tags.contains { current?.entityTag?.matchesStrongly($0) ?? false }
        case nil: false
        }
    }

    private static func matchesWeakly(_ condition: EntityTagCondition, _ current: Validators?) -> Bool {
        switch condition {
        case .any: current != nil
        case .tags(let tags): tags.contains { current?.entityTag?.matchesWeakly($0) ?? false }
        }
    }
}
