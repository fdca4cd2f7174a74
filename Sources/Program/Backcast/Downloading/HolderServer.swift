import Concurrency
import DownloadAPI
import Downloader
import Foundation
import HTTPServer
import Logging

/// Answers other processes of the same person over the socket in a folder that this process holds.
struct HolderServer: Sendable {
    private let server: HTTPServer
    private let file: String

    /// Nil where the folder's file system has no sockets: then the folder is held all the same.
    ///
    /// `page` is the URL of the page of this process, if it has one.
    static func open(_ manager: DownloadManager, page: String?, in folder: String) -> HolderServer? {
        let file = Holder.socketFile(of: folder)
        let downloads = DownloadAPI(manager: manager, host: "localhost", hlsScript: nil, clock: .system)
        var configuration = HTTPServer.Configuration(address: ListenAddress(file: file))
        configuration.limits.answer = Limits.playAnswerTimeout
        configuration.limits.streamsPerClient = configuration.limits.streams
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        let handler = HolderAPI(downloads, page: page, clock: .system)
        let server = try? HTTPServer.open(configuration: configuration, handler: handler, logger: logger)
        return server.map { HolderServer(server: $0, file: file) }
    }

    /// Answers until it is cancelled; then the socket is removed.
    func run() async {
        await server.run(drain: Limits.playDrain)
        try? FileManager.default.removeItem(atPath: file)
    }
}
