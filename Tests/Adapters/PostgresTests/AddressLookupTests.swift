import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import Postgres

@Suite("Addresses of the servers")
struct AddressLookupTests {
    @Test("The system's lookup finds the addresses of a name and of an address, and says why it finds none")
    func system() async throws {
        let lookups = AddressLookups()
        let local = try lookups.addresses(of: "localhost", try wait(), by: .system)
        #expect(!local.isEmpty && Set(local).isSubset(of: ["127.0.0.1", "::1"]))
        #expect(try lookups.addresses(of: "2001:db8::1", try wait(), by: .system) == ["2001:db8::1"])
        let error = await failure { try lookups.addresses(of: "a..b", try wait(), by: .system) }
        #expect(error?.kind == .unreachable)
        #expect(error?.message.contains("a..b") == true)
    }

    @Test("If no name server answers, a connection waits for its own time, and all share one lookup")
    func silentNameServers() async throws {
        let (answer, lookupCount) = (DispatchSemaphore(value: 0), Counter())
        let lookups = AddressLookups { _ in
            lookupCount.add()
            answer.wait()
            return .found(["127.0.0.1"])
        }
        let change = { (configuration: inout PoolConfiguration) in
            configuration.lookups = lookups
            configuration.connectTimeout = .milliseconds(200)
        }
        try await withPool(size: 2, on: "postgresql://me@silent.example:1/db", change: change) { pool in
            for _ in 0..<2 {
                let error = await failure { try await pool.query("SELECT 1") }
                #expect(error?.kind == .unreachable)
                #expect(error?.message.contains("silent.example") == true)
            }
            let interrupted = Task { await failure { try await pool.query("SELECT 1") } }
            interrupted.cancel()
            #expect(await interrupted.value?.kind == .cancelled)
        }
        answer.signal()
        // What is found after all have given up is there for the next one.
        for _ in 0..<2 {
            #expect(try lookups.addresses(of: "silent.example", try wait(), by: .system) == ["127.0.0.1"])
        }
        #expect(lookupCount.value == 1)
    }

    private func wait(_ seconds: Int = 5) throws -> SocketWait {
        SocketWait(pipe: try WakePipe(), interruption: nil, deadline: .now + .seconds(seconds))
    }
}
