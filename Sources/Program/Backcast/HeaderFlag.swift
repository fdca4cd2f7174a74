/// A header field as people write it in a flag: `Name: value`.
enum HeaderFlag {
    static let fault = "--header needs the form 'Name: value'"

    /// Nil for text of another form.
    static func reading(_ text: String) -> (name: String, value: String)? {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
    }
}
