import HTTP
package import HTTPServer
import Metrics
package import Telemetry
import Synchronization

/// Counts requests and times playlists; for use as the server's `onFinished`.
package final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        var route: RequestRoute
        /// Zero when the connection ended before there was an answer.
        var status: Int
    }

    private let registry: MetricsRegistry
    private let counters = Mutex<[Key: any CounterHandler]>([:])
    private let playlistTimer: any TimerHandler

    package init(registry: MetricsRegistry) {
        self.registry = registry
        registry.describe(
            "backcast_http_requests_total",
            help: "Requests by route and status code; code 0: no answer was sent.")
        registry.describe(
            "backcast_playlist_request_duration_seconds",
            help: "From the request line of a playlist to its last byte.")
        playlistTimer = registry.makeTimer(
            label: "backcast_playlist_request_duration_seconds", dimensions: [])
    }

    /// Shows how many connections and requests a server has at a scrape, labelled with its address.
    package func observe(_ servers: [(address: String, server: HTTPServer)]) {
        registry.onScrape("backcast_http_open_connections", help: "Connections open now, idle ones too.") {
            servers.map { ([("listen", $0.address)], Double($0.server.openConnections)) }
        }
        registry.onScrape(
            "backcast_http_requests_in_flight", help: "Requests whose answer is not sent completely."
        ) {
            servers.map { ([("listen", $0.address)], Double($0.server.requestsInFlight)) }
        }
    }

    /// Counts a request; returns at once.
    package func finished(_ summary: RequestSummary) {
        let route = RequestRoute(path: summary.path)
        counter(Key(route: route, status: summary.status?.rawValue ?? 0))?.increment(by: 1)
        guard route == .playlist, summary.isComplete else { return }
        let (seconds, attoseconds) = summary.duration.components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !whole.overflow else { return }
        playlistTimer.recordNanoseconds(whole.partialValue + attoseconds / 1_000_000_000)
    }

    /// Nil when there are `Limits.requestSeries` series already.
    private func counter(_ key: Key) -> (any CounterHandler)? {
        counters.withLock { counters in
            if let known = counters[key] { return known }
            guard counters.count < Limits.requestSeries else { return nil }
            let made = registry.makeCounter(
                label: "backcast_http_requests_total",
                dimensions: [("route", key.route.rawValue), ("code", String(key.status))])
            counters[key] = made
            return made
        }
    }
}
