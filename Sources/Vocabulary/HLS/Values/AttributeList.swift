package import Timeline

/// The attributes of a tag in their order, each name once (RFC 8216bis §4.2).
package struct AttributeList: Sendable, Hashable {
    package private(set) var attributes: [PlaylistAttribute] = []

    package init() {}

    /// Of attributes with the same name only the first is taken.
    package init(_ attributes: [PlaylistAttribute]) {
        for attribute in attributes { append(attribute) }
    }

    package var isEmpty: Bool { attributes.isEmpty }

    /// The value for a name, quoted or not.
    package subscript(name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// Adds an attribute unless its name is present, and returns whether it was added.
    @discardableResult
    package mutating func append(_ attribute: PlaylistAttribute) -> Bool {
        guard self[attribute.name] == nil else { return false }
        attributes.append(attribute)
        return true
    }

    /// Removes an attribute.
    package mutating func remove(_ name: String) {
        attributes.removeAll { $0.name == name }
    }
}

extension AttributeList {
    /// Adds an enumerated or numeric value; nil adds nothing.
    package mutating func append(_ name: String, _ value: String?) {
        if let value { append(PlaylistAttribute(name: name, value: value, isQuoted: false)) }
    }

    /// Adds a quoted string; nil adds nothing.
    package mutating func append(_ name: String, quoted value: String?) {
        if let value { append(PlaylistAttribute(name: name, value: value, isQuoted: true)) }
    }

    /// Adds a number; nil adds nothing.
    package mutating func append(_ name: String, _ value: (some BinaryInteger)?) {
        if let value { append(name, String(value)) }
    }

    /// Adds YES when the flag is true; NO is the default of all these attributes.
    package mutating func append(_ name: String, flag: Bool) {
        if flag { append(name, "YES") }
    }

    /// Adds the attributes of another list whose names are not present.
    package mutating func append(_ others: AttributeList) {
        for attribute in others.attributes { append(attribute) }
    }
}
