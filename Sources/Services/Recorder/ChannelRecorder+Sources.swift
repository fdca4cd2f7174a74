import Catalogue
import Logging
import Timeline

/// Which source the channel is recorded from.
extension ChannelRecorder {
    /// A source is in use from now on; the numbering of another one does not go on, were it the same numbers.
    func use(_ source: SourceSettings) {
        let url = Self.redacted(source.url)
        let isOther = usedURL.map { $0 != source.url } ?? newestSourceRun.map { $0.source != url } ?? false
        usedURL = source.url
        status.sourceURL = url
        status.sourcePriority = source.priority
        status.acceptsInvalidCertificate = source.allowInvalidCertificate
        if isOther { leaveFeed() }
        publishStatus()
    }

    /// The renditions that are recorded from now on.
    func open(_ descriptions: [RenditionDescription]) async {
        ailments = [:]
        leading = descriptions.map(\.id).min()
        for description in descriptions { await open(description) }
        publishStatus()
    }

    private func leaveFeed() {
        logger.info("Another source is in use", metadata: ["source": "\(status.sourceURL ?? "")"])
        feed = nil
        for id in renditions.keys {
            renditions[id]?.follower.reset()
            renditions[id]?.alignment = NumberAlignment()
            renditions[id]?.feed = nil
        }
    }
}

/// Renditions that fail while the source as a whole delivers.
extension ChannelRecorder {
    func ails(_ id: RenditionID, _ detail: String) {
        if ailments.updateValue(detail, forKey: id) == nil {
            logger.warning(
                "A rendition is not to be had", metadata: ["rendition": "\(id)", "cause": "\(detail)"])
        }
        publishStatus()
    }

    func recovered(_ id: RenditionID) {
        guard ailments.removeValue(forKey: id) != nil else { return }
        logger.info("A rendition is to be had again", metadata: ["rendition": "\(id)"])
        publishStatus()
    }
}
