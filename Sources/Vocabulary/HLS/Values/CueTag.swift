/// What a cue tag says: the tags of vendors have either one value or attributes.
package struct CueTag: Sendable, Equatable {
    package var tag: PlaylistTag
    /// All that follows the colon, if it is not a list of attributes.
    package var value: String?
    package var attributes: AttributeList

    /// Reads a line; nil if it is no cue tag.
    package init?(line: String) {
        guard let tag = PlaylistTag.of(line: line), tag.isCue else { return nil }
        self.tag = tag
        attributes = AttributeList()
        let text = line.utf8.dropFirst(tag.rawValue.utf8.count + 2)
        guard !text.isEmpty else { return }
        // Splice information in base64 may end like a name without a value.
        if tag != .oatclsSCTE35, text.prefix(while: { $0 != ASCII.comma }).contains(ASCII.equals) {
            var context = ReadingContext(limits: .standard, source: VariableSource())
            if let read = try? context.attributes(Array(text)[...]) { attributes = read }
        }
        if attributes.isEmpty { value = String(decoding: text, as: UTF8.self) }
    }

    /// How long the break is said to be, microseconds.
    package var durationMicroseconds: Int64? {
        let said =
            attributes["DURATION"] ?? attributes["Duration"]
            ?? value?.split(separator: "/").last.map(String.init)
        return said.flatMap { ByteCursor.microseconds($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
