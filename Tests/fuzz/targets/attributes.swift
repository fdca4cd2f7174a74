@testable import HLS

/// An attribute list, as each tag that has one.
///
/// What a tag's value keeps is written and read back as an equal value.
func examine(_ input: [UInt8]) {
    let line = input.filter { $0 != 0x0A && $0 != 0x0D }
    settle(.serverControl, line, { $0 }, \.self)
    settle(.key, line, { Key($0) }, \.attributes)
    settle(.map, line, { MediaMap($0, keys: []) }, \.attributes)
    settle(.dateRange, line, { DateRange($0, years: 1970...2999) }, \.attributes)
    settle(.media, line, { Rendition($0) }, \.attributes)
    settle(.streamInformation, line, variant, \.attributes)
    settle(.sessionData, line, { SessionData($0) }, \.attributes)
    settle(.start, line, { StartPoint($0) }, \.attributes)
    settle(.skip, line, { MediaPlaylist.Skip($0) }, \.attributes)
    settle(.contentSteering, line, { ContentSteering($0) }, \.attributes)
}

/// The URI is not among the attributes that are written: it has a line of its own.
private func variant(_ attributes: AttributeList) -> VariantStream {
    var variant = VariantStream(attributes)
    variant.uri = ""
    return variant
}

private func settle<Value: Equatable>(
    _ tag: PlaylistTag, _ line: [UInt8], _ value: (AttributeList) -> Value?,
    _ written: KeyPath<Value, AttributeList>,
) {
    guard let first = attributes(tag, line).flatMap(value) else { return }
    var writer = PlaylistWriter()
    writer.line(tag, first[keyPath: written])
    let text = Array(writer.bytes.dropFirst(tag.rawValue.utf8.count + 2).dropLast())
    guard let again = attributes(tag, text) else { return }
    require(value(again) == first, "\(tag.rawValue) reads back: \(String(decoding: text, as: UTF8.self))")
}

private func attributes(_ tag: PlaylistTag, _ line: [UInt8]) -> AttributeList? {
    var context = ReadingContext(limits: .standard, source: VariableSource())
    context.tag = tag
    let clean = context.clean(line[...])
    return try? context.attributes(clean)
}
