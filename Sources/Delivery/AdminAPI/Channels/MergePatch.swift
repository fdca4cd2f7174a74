import HTTP
import JSON

extension JSONValue {
    /// This document with a patch applied (RFC 7396 §2): null removes a member, a value other than an object
    /// replaces it.
    ///
    /// Takes time in proportion to the members of both: a patch may have a hundred thousand.
    func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member?] = []
        if case .object(let own) = self { members = own }
        var places: [String: Int] = [:]
        for (place, member) in members.enumerated() {
            if let member, places[member.name] == nil { places[member.name] = place }
        }
        for change in changes {
            let place = places[change.name]
            if change.value == .null {
                if let place { members[place] = nil }
                places[change.name] = nil
            } else if let place, let own = members[place] {
                members[place] = Member(name: own.name, value: own.value.merging(change.value))
            } else {
                places[change.name] = members.count
                members.append(Member(name: change.name, value: JSONValue.null.merging(change.value)))
            }
        }
        return .object(members.compactMap(\.self))
    }
}

/// What a merge patch means for a channel.
enum ChannelPatch {
    /// The field in which null is a value and not a removal.
    ///
    /// A channel that is set to keep recordings for ever must not fall back to a default that deletes them.
    private static let nullable = "retention_seconds"
    /// A field that is read but never written.
    private static let shorthand = "source_url"

    /// The channel's document after the patch; `source_url` replaces the sources.
    ///
    /// A null for an unknown field stays in the document, so that the reader refuses the field by name.
    static func applied(_ patch: JSONValue, to document: JSONValue) throws(Problem) -> JSONValue {
        guard case .object(let changes) = patch else {
            throw .invalid([Fault(.root, "must be an object, not \(patch.typeName)")])
        }
        var base = document
        if let single = patch[shorthand], single != .null, patch["sources"] == nil {
            base = base.merging(["sources": nil])
        }
        guard case .object(let members) = base.merging(patch) else { return base }
        let nulls = changes.filter { $0.value == .null }
        return .object(members + nulls.filter { $0.name == nullable || !isKnown($0.name, in: document) })
    }

    private static func isKnown(_ name: String, in document: JSONValue) -> Bool {
        name == shorthand || document[name] != nil
    }
}
