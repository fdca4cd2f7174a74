/// How the types that are stored read their fields.
///
/// Every later version must read what was written to a row or a journal line. So each stored type names its
/// keys, which never change, and reads them itself: a key that was added later has a default, and unknown
/// keys are skipped.
extension KeyedDecodingContainer {
    /// A field that was there from the beginning.
    func read<Value: Decodable>(_ key: Key) throws -> Value {
        try decode(Value.self, forKey: key)
    }

    /// A field that an older version may not have written; null counts as absent.
    func read<Value: Decodable>(_ key: Key, default value: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? value
    }

    /// A field that is nil when nothing was written.
    func readIfPresent<Value: Decodable>(_ key: Key) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: key)
    }

    /// A choice of the operator; one that only a later version offers reads as the fallback.
    func read<Choice: RawRepresentable<String>>(_ key: Key, fallback: Choice) throws -> Choice {
        try decodeIfPresent(String.self, forKey: key).flatMap(Choice.init) ?? fallback
    }
}
