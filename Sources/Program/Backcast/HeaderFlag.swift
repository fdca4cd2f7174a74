import HTTP

/// A header field as people write it in a flag: `Name: value`.
enum HeaderFlag {
    /// The message omits the value, which may be a secret.
    static let fault = "--header needs the form 'Name: value', of characters that a header can have"

    /// Nil for text of another form, and for what cannot be sent.
    static func reading(_ text: String) -> (name: String, value: String)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        let field = HTTPHeaders.Field(name: String(text[..<colon]), value: String(value))
        return field.canBeSent ? (field.name, field.value) : nil
    }
}
