import Concurrency
import TestSupport
import Testing

@Suite("The outcome of a body that waits")
struct ResultTests {
    @Test("A value and an error are both kept")
    func outcome() async {
        let value = await Result { () async throws(TestFailure) in
            await Task.yield()
            return 7
        }
        #expect((try? value.get()) == 7)
        let error = await Result { () async throws(TestFailure) -> Int in
            await Task.yield()
            throw TestFailure("the body")
        }
        #expect(throws: TestFailure.self) { try error.get() }
    }
}
