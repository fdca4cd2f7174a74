import Concurrency
import HTTP
import Synchronization

/// A page that needs no token: it is made once for all waiting requests and cached for a while.
final class CachedPage: Sendable {
    private struct Kept {
        var page: HTTPResponse
        var asOf: SteadyInstant
    }

    /// The only key of the shared work: there is one page.
    private enum Work: Hashable, Sendable {
        case page
    }

    private let make: @Sendable () async -> HTTPResponse
    private let clock: HostClock
    /// How long a page is used again.
    private let age: Duration
    private let kept = Mutex<Kept?>(nil)
    private let work = SharedWork<Work, HTTPResponse, Never>()

    init(clock: HostClock, age: Duration, make: @escaping @Sendable () async -> HTTPResponse) {
        (self.clock, self.age, self.make) = (clock, age, make)
    }

    func page() async -> HTTPResponse {
        if let recent { return recent }
        return await work.value(of: .page) {
            // Another request may have made the page in the meantime.
            if let recent = self.recent { return recent }
            let asked = self.clock.steady()
            let page = await self.make()
            // When all clients have left, the work was cancelled, and the page may be incomplete.
            if !Task.isCancelled { self.kept.withLock { $0 = Kept(page: page, asOf: asked) } }
            return page
        }
    }

    /// The page while it is fresh.
    private var recent: HTTPResponse? {
        let now = clock.steady()
        return kept.withLock { kept in
            guard let kept, now - kept.asOf < age else { return nil }
            return kept.page
        }
    }
}
