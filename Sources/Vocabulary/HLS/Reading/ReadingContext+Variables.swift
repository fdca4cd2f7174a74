/// EXT-X-DEFINE and `{$name}` (RFC 8216bis §4.3, §4.4.2.3).
extension ReadingContext {
    /// Reads the attributes of EXT-X-DEFINE; the variable is usable from the next line on.
    mutating func define(_ attributes: AttributeList) throws(PlaylistError) -> Definition {
        let definition = try definition(attributes)
        guard Self.isName(definition.name.utf8), Self.isUsable(definition.value) else {
            throw error(.variableUnusable(Self.shown(definition.name)))
        }
        guard variables[definition.name] == nil else { throw error(.variableRepeated(definition.name)) }
        try check(variables.count + 1, .variables, limits.variableCount)
        variables[definition.name] = Array(definition.value.utf8)
        keep(byteCount: definition.value.utf8.count)
        return definition
    }

    private mutating func definition(_ attributes: AttributeList) throws(PlaylistError) -> Definition {
        if let name = attributes["NAME"] {
            guard let value = attributes["VALUE"] else { throw error(.missingAttribute("VALUE")) }
            return Definition(name: name, value: value)
        }
        if let name = attributes["IMPORT"] {
            return Definition(name: name, value: try known(source.imports[name], name), origin: .imported)
        }
        guard let name = attributes["QUERYPARAM"] else { throw error(.missingAttribute("NAME")) }
        let value = try known(source.queryParameter(name), name)
        return Definition(name: name, value: value, origin: .queryParameter)
    }

    /// The value of a variable from outside the playlist.
    private mutating func known(_ value: String?, _ name: String) throws(PlaylistError) -> String {
        if let value { return value }
        guard source.mayLackValues else { throw error(.variableUndefined(Self.shown(name))) }
        note(.unknownVariable)
        return ""
    }

    /// Substitutes variables; a substituted value is not searched for further references.
    ///
    /// The inserted bytes are bounded like the playlist itself, because one value may occur in every line.
    mutating func substituted(_ bytes: ArraySlice<UInt8>) throws(PlaylistError) -> ArraySlice<UInt8> {
        guard bytes.contains(ASCII.openBrace) else { return bytes }
        var result: [UInt8] = []
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            guard bytes[index] == ASCII.openBrace, let name = Self.referenceName(bytes[index...]) else {
                index += 1
                continue
            }
            guard let value = variables[name] else { throw error(.variableUndefined(Self.shown(name))) }
            result += bytes[start..<index]
            result += value
            insertedByteCount += max(value.count, Self.minimumInsertedByteCount)
            try check(result.count, .lineBytes, limits.lineByteCount)
            try check(insertedByteCount, .insertedBytes, limits.byteCount)
            index += name.utf8.count + "{$}".utf8.count
            start = index
        }
        return result.isEmpty && start == bytes.startIndex ? bytes : (result + bytes[start...])[...]
    }

    /// Bytes that a reference counts as at least: finding its value takes time also when it is empty.
    private static let minimumInsertedByteCount = 16

    /// The name in `{$name}` when the bytes begin with one.
    private static func referenceName(_ bytes: ArraySlice<UInt8>) -> String? {
        var cursor = ByteCursor(bytes)
        guard cursor.skip(ASCII.openBrace), cursor.skip(ASCII.dollar) else { return nil }
        let name = cursor.readBytes { !isNameByte($0) }
        guard !name.isEmpty, cursor.current == ASCII.closeBrace else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.minus || byte == 0x5F
    }

    /// Whether a quoted string can contain the value and it does not refer to other variables.
    private static func isUsable(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        guard !bytes.contains(where: { ASCII.isControl($0) || $0 == ASCII.quote }) else { return false }
        return !bytes.indices.contains { referenceName(bytes[$0...]) != nil }
    }

    /// A name that is short and printable enough for a message.
    private static func shown(_ name: String) -> String {
        String(decoding: name.utf8.prefix(64).filter(isNameByte), as: UTF8.self)
    }
}
