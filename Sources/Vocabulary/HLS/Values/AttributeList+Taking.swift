import Timeline

/// Takes typed values out of an attribute list; a value of the wrong form stays in it and is written again.
extension AttributeList {
    /// A string, whatever its form.
    mutating func take(_ name: String) -> String? {
        take(name) { $0 }
    }

    /// A value made from the text; the attribute stays in the list when that fails.
    mutating func take<Value>(_ name: String, _ make: (String) -> Value?) -> Value? {
        guard let index = attributeIndex(name), let value = make(attributes[index].value) else { return nil }
        remove(name)
        return value
    }

    /// An integer that fits the requested type.
    mutating func take<Number: FixedWidthInteger>(integer name: String) -> Number? {
        take(name) { text in ByteCursor.unsigned(text).flatMap { Number(exactly: $0) } }
    }

    /// A decimal number, exact to six digits; a number too large for that stays in the list.
    mutating func take(decimal name: String) -> Double? {
        take(name) { text in
            guard let millionths = ByteCursor.microseconds(text), millionths.magnitude < 1 << 50 else {
                return nil
            }
            return Double(millionths) / 1_000_000
        }
    }

    /// Decimal seconds as microseconds.
    mutating func take(seconds name: String) -> Int64? {
        take(name) { ByteCursor.microseconds($0) }
    }

    /// Decimal seconds that are not negative, as microseconds.
    mutating func take(length name: String) -> Int64? {
        take(name) { text in ByteCursor.microseconds(text).flatMap { $0 < 0 ? nil : $0 } }
    }

    /// A date as microseconds since 1970 UTC.
    mutating func take(date name: String, years: ClosedRange<Int64>) -> Int64? {
        take(name) { InstantText.reading(Array($0.utf8)[...], years: years)?.microseconds }
    }

    /// YES or NO.
    ///
    /// A missing value is NO; any other value counts as NO and stays in the list.
    mutating func take(flag name: String) -> Bool {
        take(name) { $0 == "YES" ? true : $0 == "NO" ? false : nil } ?? false
    }

    private func attributeIndex(_ name: String) -> Int? {
        attributes.firstIndex { $0.name == name }
    }
}
