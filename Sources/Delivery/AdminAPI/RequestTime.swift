import Timeline

enum RequestTime {
    static func instant(_ text: String, zone: String) -> Instant? {
        Int64(text).map { text.count > 11 ? Instant(milliseconds: $0) : Instant(seconds: $0) }
    }
}
