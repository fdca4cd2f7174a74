import HTTP
import Testing

struct ByteRangeTests {
    @Test(
        "A single range is cut to the representation (RFC 9110 §14.1.2)",
        arguments: [
            ("bytes=0-499", 0, 500), ("bytes=500-999", 500, 500), ("bytes=-500", 9500, 500),
            ("bytes=9500-", 9500, 500),
            ("bytes=0-0", 0, 1), ("bytes=-1", 9999, 1), ("bytes=9999-20000", 9999, 1),
            ("bytes=-20000", 0, 10000),
            ("BYTES=0-", 0, 10000), (" bytes=5-9 ", 5, 5), ("bytes=0-99999999999999999999999", 0, 10000),
            ("bytes=-99999999999999999999999", 0, 10000),
        ] as [(String, UInt64, UInt64)])
    func single(value: String, offset: UInt64, length: UInt64) {
        #expect(ByteRange.reading(value, length: 10000) == .part(offset: offset, length: length))
    }

    @Test(
        "Anything but a single range of bytes counts as no range",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=9-5", "bytes=0-1,4-5", "bytes=a-b",
            "bytes=1-2-3",
            "items=0-5", "bytes= 0-5", "bytes=0 -5", "bytes=+1-5", "bytes=0x1-5", "bytes 0-5",
        ])
    func malformed(value: String?) {
        #expect(ByteRange.reading(value, length: 10000) == .whole)
    }

    @Test(
        "A range that begins after the end cannot be satisfied",
        arguments: [
            ("bytes=10000-", 10000), ("bytes=10000-10001", 10000), ("bytes=-0", 10000), ("bytes=0-", 0),
            ("bytes=99999999999999999999999-", 10000),
        ] as [(String, UInt64)])
    func unsatisfiable(value: String, length: UInt64) {
        #expect(ByteRange.reading(value, length: length) == .unsatisfiable)
    }

    @Test("A suffix of an empty representation is the whole of it")
    func emptySuffix() {
        #expect(ByteRange.reading("bytes=-5", length: 0) == .whole)
    }

    @Test("Only GET has ranges")
    func methods() {
        let current = Validators(entityTag: EntityTag(strong: "a"))
        let headers: HTTPHeaders = ["Range": "bytes=1-2"]
        let get = ByteRange.requested(method: .get, headers: headers, current: current, length: 10)
        let head = ByteRange.requested(method: .head, headers: headers, current: current, length: 10)
        #expect(get == .part(offset: 1, length: 2))
        #expect(head == .whole)
    }

    @Test(
        "A range for another version gets everything",
        arguments: [
            ("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), ("nonsense", false),
        ])
    func ifRange(value: String, applies: Bool) {
        let current = Validators(entityTag: EntityTag(strong: "a"))
        let headers: HTTPHeaders = ["Range": "bytes=1-2", "If-Range": value]
        let range = ByteRange.requested(method: .get, headers: headers, current: current, length: 10)
        #expect(range == (applies ? .part(offset: 1, length: 2) : .whole))
    }

    @Test("Two Range fields count as none")
    func twoFields() {
        let headers: HTTPHeaders = ["Range": "bytes=1-2", "range": "bytes=1-2"]
        let current = Validators(entityTag: nil)
        #expect(ByteRange.requested(method: .get, headers: headers, current: current, length: 10) == .whole)
    }
}
