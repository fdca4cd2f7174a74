package import Journal
package import Telemetry
import Timeline

/// Metrics of the journal lines that do not reach the catalogue.
package enum JournalMeter {
    /// Registers the metrics of a journal; a scrape never waits for the disk.
    package static func register(_ journal: Journal, in registry: MetricsRegistry) {
        registry.onScrape(
            "backcast_journal_unread_lines",
            help: "Journal lines that this version could not read since the start; they wait in unread.jsonl."
        ) {
            journal.unreadLines.map { ([("channel", $0.key.text)], Double($0.value)) }
        }
        registry.onScrape(
            "backcast_journal_refused_lines",
            help: "Journal lines that the catalogue has refused since the start; they wait in refused.jsonl."
        ) {
            journal.refusedLines.map { ([("channel", $0.key.text)], Double($0.value)) }
        }
    }
}
