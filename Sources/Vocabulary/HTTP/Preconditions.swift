/// What identifies the current version of a resource.
package struct Validators: Sendable, Equatable {
    package var entityTag: EntityTag?
    /// Seconds since 1970.
    ///
    /// Give it only where a second is enough to tell versions apart.
    package var lastModifiedSeconds: Int64?

    package init(entityTag: EntityTag?, lastModifiedSeconds: Int64? = nil) {
        self.entityTag = entityTag
        self.lastModifiedSeconds = lastModifiedSeconds
    }
}

/// The outcome of a request's conditions (RFC 9110 §13.2.2).
package enum Preconditions: Equatable, Sendable {
    case proceed
    /// Answer 304.
    case notModified
    /// Answer 412.
    case preconditionFailed

    /// Evaluates the conditions of a request in the order of the standard; `current` is nil when there is no such resource.
    package static func evaluated(
        method: HTTPMethod, headers: HTTPHeaders, current: Validators?,
    ) -> Preconditions {
        guard mayChange(headers, current) else { return .preconditionFailed }
        let isRead = method == .get || method == .head
        let noneMatch = headers.values(of: "If-None-Match")
        if let condition = EntityTagCondition(reading: noneMatch) {
            if !matchesWeakly(condition, current) { return .proceed }
            return isRead ? .notModified : .preconditionFailed
        }
        guard isRead, noneMatch.isEmpty else { return .proceed }
        return unchanged(since: headers["If-Modified-Since"], current) ? .notModified : .proceed
    }

    /// Whether a Range counts: there is no If-Range, or it names the current version (RFC 9110 §13.1.5).
    package static func rangeApplies(headers: HTTPHeaders, current: Validators) -> Bool {
        guard let value = headers["If-Range"] else { return true }
        if let tag = EntityTag(reading: FieldList.trimmed(value[...])) {
            return current.entityTag?.matchesStrongly(tag) ?? false
        }
        guard let date = HTTPDate.seconds(reading: value) else { return false }
        return current.lastModifiedSeconds == date
    }

    /// If-Match, else If-Unmodified-Since.
    ///
    /// A malformed If-Match fails: the sender wanted protection.
    private static func mayChange(_ headers: HTTPHeaders, _ current: Validators?) -> Bool {
        let match = headers.values(of: "If-Match")
        if !match.isEmpty {
            switch EntityTagCondition(reading: match) {
            case .any: return current != nil
            case .tags(let tags): return tags.contains { current?.entityTag?.matchesStrongly($0) ?? false }
            case nil: return false
            }
        }
        guard let limit = headers["If-Unmodified-Since"].flatMap(HTTPDate.seconds(reading:)),
            let modified = current?.lastModifiedSeconds
        else { return true }
        return modified <= limit
    }

    private static func matchesWeakly(_ condition: EntityTagCondition, _ current: Validators?) -> Bool {
        switch condition {
        case .any: current != nil
        case .tags(let tags): tags.contains { current?.entityTag?.matchesWeakly($0) ?? false }
        }
    }

    private static func unchanged(since value: String?, _ current: Validators?) -> Bool {
        guard let limit = value.flatMap(HTTPDate.seconds(reading:)),
            let modified = current?.lastModifiedSeconds
        else { return false }
        return modified <= limit
    }
}
