import Concurrency
import Synchronization
import Testing

@Suite("Chunks of an array, several at a time")
struct ArrayChunksTests {
    private struct Refusal: Error, Equatable {
        var number: Int
    }

    @Test(
        "Each element is passed once, in chunks of at most the length",
        arguments: [0, 1, 24, 25, 26, 97, 100])
    func all(count: Int) async throws {
        let parts = Mutex<[[Int]]>([])
        await Array(0..<count).inChunks(of: 25) { part in parts.withLock { $0.append(Array(part)) } }
        let seen = parts.withLock { $0 }
        #expect(seen.flatMap(\.self).sorted() == Array(0..<count))
        #expect(seen.allSatisfy { $0.count <= 25 && $0 == $0.sorted() })
        #expect(seen.count == max(1, (count + 24) / 25))
    }

    @Test("Chunks run at the same time")
    func together() async throws {
        let arrived = Atomic(0)
        await Array(0..<2).inChunks(of: 1) { _ in
            arrived.add(1, ordering: .relaxed)
            while arrived.load(ordering: .relaxed) < 2 { await Task.yield() }
        }
        #expect(arrived.load(ordering: .relaxed) == 2)
    }

    @Test("An error is thrown when all chunks have ended")
    func failure() async throws {
        let ended = Atomic(0)
        await #expect(throws: Refusal(number: 1)) {
            try await Array(0..<4).inChunks(of: 1) { (part) async throws(Refusal) in
                if part.first == 1 { throw Refusal(number: 1) }
                for _ in 0..<10 { await Task.yield() }
                ended.add(1, ordering: .relaxed)
            }
        }
        #expect(ended.load(ordering: .relaxed) == 3)
    }
}
