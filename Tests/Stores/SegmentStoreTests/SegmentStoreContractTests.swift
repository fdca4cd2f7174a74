import HTTP
import Testing
import Timeline

@testable import SegmentStore

/// What every store keeps, with the same statements.
@Suite("The contract of a segment store")
struct SegmentStoreContractTests {
    /// FIPS 180-4, example of one block: SHA-256 of "abc".
    static let digestOfABC: [UInt8] = [
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    ]

    @Test(
        "What was committed in pieces is read as one, with its length and digest",
        arguments: StoreKind.allCases)
    func roundTrip(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let key = try segmentKey()
            let draft = try await store.makeDraft()
            try await draft.append(Array("a".utf8))
            try await draft.append([])
            try await draft.append(Array("bc".utf8))
            let object = try await draft.commit(as: key)
            #expect(
                object
                    == CommittedObject(key: key, byteCount: 3, digest: Self.digestOfABC, wasThere: false))
            #expect(try await store.read(key) == Array("abc".utf8))
            #expect(try await store.contains(key))
        }
    }

    @Test(
        "A range of an object is sent and streamed alike, and cut off where the object ends",
        arguments: StoreKind.allCases,
        [(nil, "abcdef"), (0..<6, "abcdef"), (2..<5, "cde"), (4..<9, "ef"), (6..<9, ""), (7..<9, "")]
            as [(Range<UInt64>?, String)])
    func ranges(_ kind: StoreKind, _ part: (range: Range<UInt64>?, text: String)) async throws {
        let (range, text) = part
        try await kind.withStore { store in
            let key = try segmentKey()
            try await store.put(Array("abcdef".utf8), as: key)
            let source = try await store.source(of: key, range: range)
            #expect(source.objectByteCount == 6)
            #expect(source.byteCount == UInt64(text.utf8.count))
            #expect(try await sent(source.body) == Array(text.utf8))
            #expect(try await pieces(of: source.stream(), limit: 4).flatMap { $0 } == Array(text.utf8))
            let narrowed = try await store.source(of: key, range: nil).with(range: range)
            #expect(try await sent(narrowed.body) == Array(text.utf8))
        }
    }

    @Test(
        "A stream gives pieces of at most the length asked for, and none is empty",
        arguments: StoreKind.allCases)
    func pieceLengths(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            try await store.put(Array("abcdef".utf8), as: try segmentKey())
            let source = try await store.source(of: try segmentKey(), range: 1..<6)
            #expect(
                try await pieces(of: source.stream(), limit: 2) == ["bc", "de", "f"].map { Array($0.utf8) })
        }
    }

    @Test("What is answered at once is the whole object", arguments: StoreKind.allCases)
    func atOnce(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            try await store.put(Array("abcdef".utf8), as: try segmentKey())
            await (try await store.source(of: try segmentKey(), range: nil)).prepare()
            let source = try store.sourceWithoutBlocking(of: try segmentKey())
            #expect((source != nil) == kind.answersWithoutBlocking)
            guard let source else { return }
            #expect(source.byteCount == 6)
            #expect(try await sent(source.body) == Array("abcdef".utf8))
        }
    }

    @Test("An object can be sent and read to its end after it was deleted", arguments: StoreKind.allCases)
    func deletedWhileInUse(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let key = try segmentKey()
            try await store.put(Array("abcdef".utf8), as: key)
            let source = try await store.source(of: key, range: nil)
            let stream = source.stream()
            #expect(try await stream.next(limit: 2) == Array("ab".utf8))
            try await store.delete(key)
            #expect(try await stream.next(limit: 9) == Array("cdef".utf8))
            #expect(try await sent(source.body) == Array("abcdef".utf8))
        }
    }

    @Test("What is not there is its own error", arguments: StoreKind.allCases)
    func absence(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let key = try segmentKey()
            #expect(await failure { _ = try await store.source(of: key, range: nil) } == .notFound(key))
            #expect(await failure { _ = try await store.read(key) } == .notFound(key))
            if kind == .memory {
                #expect(await failure { _ = try store.sourceWithoutBlocking(of: key) } == .notFound(key))
            }
            #expect(try await store.contains(key) == false)
            try await store.delete(key)
        }
    }

    @Test("A draft is not seen before it is committed", arguments: StoreKind.allCases)
    func invisible(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let draft = try await store.makeDraft()
            try await draft.append([1, 2, 3])
            #expect(try await store.contains(try segmentKey()) == false)
            _ = try await draft.commit(as: try segmentKey())
            #expect(try await store.contains(try segmentKey()))
        }
    }

    @Test("A draft that is dropped leaves no object", arguments: StoreKind.allCases)
    func dropped(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            do {
                let draft = try await store.makeDraft()
                try await draft.append([1, 2, 3])
            }
            #expect(try await store.segments(of: try hour()).isEmpty)
            #expect(try await store.put([4], as: try segmentKey()).key == segmentKey())
        }
    }

    @Test("The same bytes under a name that has them are success", arguments: StoreKind.allCases)
    func repetition(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let key = try segmentKey()
            let first = try await store.put([1, 2, 3], as: key)
            let second = try await store.put([1, 2, 3], as: key)
            #expect(!first.wasThere)
            #expect(second.wasThere)
            #expect(second.key == key)
        }
    }

    @Test("Other bytes take the next revision, and find it again", arguments: StoreKind.allCases)
    func revisions(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let key = try segmentKey()
            for byte in UInt8(0)...3 {
                let object = try await store.put([byte], as: key)
                #expect(try object.key == segmentKey(revision: Int16(byte)))
            }
            let again = try await store.put([2], as: key)
            #expect(try again.key == segmentKey(revision: 2))
            #expect(again.wasThere)
            #expect(try await store.read(key) == [0])
        }
    }

    @Test("A name made of the digest is never given a revision", arguments: StoreKind.allCases)
    func digestNames(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let keys: [ArchiveKey] = [
                .initialization(try channel(), video, "init-0123456789abcdef.mp4"),
                .key(try channel(), "0123456789abcdef0123456789abcdef"),
            ]
            for key in keys {
                #expect(try await store.put([7], as: key).wasThere == false)
                let again = try await store.put([7], as: key)
                #expect(again.wasThere)
                #expect(again.key == key)
            }
        }
    }

    @Test(
        "A name that is none of its kind is refused, and nothing is written", arguments: StoreKind.allCases,
        ["../../passwd", "init-0123.mp4", "", "0123456789ABCDEF0123456789ABCDEF"])
    func invalidNames(_ kind: StoreKind, _ name: String) async throws {
        try await kind.withStore { store in
            for key in [
                ArchiveKey.initialization(try channel(), video, name), .key(try channel(), name),
            ] {
                #expect(await failure { try await store.put([1], as: key) } == .invalidKey(key))
                #expect(await failure { _ = try await store.source(of: key, range: nil) } == .invalidKey(key))
                #expect(await failure { try await store.delete(key) } == .invalidKey(key))
            }
        }
    }

    @Test("What is longer than may be read at once is refused with its length", arguments: StoreKind.allCases)
    func tooLarge(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let key = try segmentKey()
            let count = Limits.wholeObjectByteCount + 1
            try await store.put([UInt8](repeating: 0, count: count), as: key)
            #expect(
                await failure { _ = try await store.read(key) } == .tooLarge(key, byteCount: Int64(count)))
            #expect(try await store.source(of: key, range: nil).byteCount == UInt64(count))
        }
    }

    @Test("The segments of an hour are listed, with their revisions", arguments: StoreKind.allCases)
    func listing(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            #expect(try await store.segments(of: try hour()).isEmpty)
            for start in [Int64(-1), 0, 3599, 3600] {
                try await store.put([1], as: try segmentKey(eight + start * Microseconds.perSecond))
            }
            try await store.put([2], as: try segmentKey())
            try await store.put([1], as: try segmentKey(in: "other"))
            let last = eight + 3599 * Microseconds.perSecond
            #expect(
                try await Set(store.segments(of: try hour(last)))
                    == [segmentName(), segmentName(revision: 1), segmentName(last)])
        }
    }

    @Test(
        "Deleting segments of an hour says what it freed, and what is not there is no error",
        arguments: StoreKind.allCases)
    func deletingSegments(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let later = eight + 60 * Microseconds.perSecond
            for start in [eight, later] { try await store.put([1, 2], as: try segmentKey(start)) }
            let names = [segmentName(), segmentName(revision: 7)]
            #expect(try await store.delete(names, of: try hour()) == Deleted(files: 1, bytes: 2))
            #expect(try await store.segments(of: try hour()) == [segmentName(later)])
            #expect(try await store.delete([], of: try hour()) == Deleted())
        }
    }

    @Test("Deleting an hour spares other hours and what is to keep", arguments: StoreKind.allCases)
    func deletingAnHour(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let starts = [-1, 0, 1, 3599, 3600].map { eight + $0 * Microseconds.perSecond }
            for start in starts { try await store.put([1, 2], as: try segmentKey(start)) }
            let deleted = try await store.deleteHour(
                channel: try channel(), rendition: video, hour: starts[2],
                before: Instant(microseconds: .max), keeping: [segmentName(starts[1])])
            #expect(deleted == Deleted(files: 2, bytes: 4))
            var held: [Bool] = []
            for start in starts { held.append(try await store.contains(try segmentKey(start))) }
            #expect(held == [true, true, false, false, true])
            let nothing = try await store.deleteHour(
                channel: try channel("other"), rendition: video, hour: eight,
                before: Instant(microseconds: .max), keeping: [])
            #expect(nothing == Deleted())
        }
    }

    @Test("Deleting an hour spares what begins at the cut or later", arguments: StoreKind.allCases)
    func deletingUpToACut(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let starts = [0, 10, 20].map { eight + $0 * Microseconds.perSecond }
            for start in starts { try await store.put([1], as: try segmentKey(start)) }
            let deleted = try await store.deleteHour(
                channel: try channel(), rendition: video, hour: eight, before: starts[1], keeping: [])
            #expect(deleted == Deleted(files: 1, bytes: 1))
        }
    }

    @Test("64 drafts at once end each with its own bytes", arguments: StoreKind.allCases)
    func parallelDrafts(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let draft = try await store.makeDraft()
                        for _ in 0..<4 {
                            try await draft.append([UInt8](repeating: UInt8(number), count: 1000))
                        }
                        let start = eight + Int64(number) * 100 * Microseconds.perSecond
                        #expect(try await draft.commit(as: try segmentKey(start)).wasThere == false)
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<64 {
                let start = eight + Int64(number) * 100 * Microseconds.perSecond
                let bytes = try await store.read(try segmentKey(start))
                #expect(bytes == [UInt8](repeating: UInt8(number), count: 4000))
            }
        }
    }

    @Test("Many drafts for one name get a revision each", arguments: StoreKind.allCases)
    func contention(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let keys = try await withThrowingTaskGroup(of: ArchiveKey.self) { group in
                for byte in UInt8(0)..<16 {
                    group.addTask { try await store.put([byte], as: try segmentKey()).key }
                }
                return try await group.reduce(into: Set<ArchiveKey>()) { $0.insert($1) }
            }
            #expect(try keys == Set((0..<16).map { try segmentKey(revision: $0) }))
        }
    }

    @Test("The space left is within the whole", arguments: StoreKind.allCases)
    func space(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let space = try #require(try await store.space())
            #expect(space.totalBytes > 0)
            #expect((0...space.totalBytes).contains(space.availableBytes))
        }
    }
}

/// The bytes of a body as a server sends them.
private func sent(_ body: HTTPBody) async throws -> [UInt8] {
    switch body {
    case .empty: return []
    case .bytes(let bytes): return bytes
    case .pieces(let pieces): return pieces.flatMap(\.bytes)
    case .file(let slice):
        return try slice.file.read(at: slice.offset, upTo: Int(slice.byteCount))
    case .stream(let length, let stream):
        let bytes = try await pieces(of: stream, limit: 4).flatMap { $0 }
        #expect(length == nil || length == UInt64(bytes.count))
        return bytes
    }
}

private func pieces(of stream: any HTTPBodySource, limit: Int) async throws -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    while let piece = try await stream.next(limit: limit) { pieces.append(piece) }
    return pieces
}
