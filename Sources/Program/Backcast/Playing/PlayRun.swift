import Concurrency
import DownloadAPI
import Downloader
import Files
import Foundation
import HTTP
import HTTPClient
import HTTPServer
import Logging

/// One run of the program that serves a folder of downloads, until a signal comes.
struct PlayRun: Sendable {
    var folder: String
    var address: ListenAddress
    var options: DownloadOptions
    var proxy: String?
    var opensBrowser: Bool

    func carryOut() async throws {
        ProcessMemory.keepFreeMemory()
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        let client = try HTTPClient.open(ClientConfiguration(proxy: proxy, logger: logger))
        do {
            let manager = try await DownloadManager.open(folder, options, client: client, clock: .system)
            let downloads = DownloadAPI(
                manager: manager, host: address.host,
                hlsScript: InstalledFile.bytes("hls.js", upTo: Limits.scriptBytes), clock: .system)
            let server = try open(downloads, logger: logger)
            let page = "http://\(ListenAddress(host: address.host, port: server.port))/"
            let holder = HolderServer.open(manager, page: page, in: folder)
            try announce(page)
            try await TerminationSignals.cancelling {
                await withDiscardingTaskGroup { group in
                    group.addTask { await manager.run() }
                    group.addTask { await server.run(drain: Limits.playDrain) }
                    group.addTask { await holder?.run() }
                }
            }
        } catch {
            await client.close()
            let page = await Holder.connect(folder)?.page()
            throw DownloadCommand.failure("\(error)\(page.map { ": \($0)" } ?? "")", status: 1)
        }
        await client.close()
    }

    private func open(_ handler: any HTTPHandler, logger: Logger) throws -> HTTPServer {
        var configuration = HTTPServer.Configuration(address: address)
        configuration.limits.answer = Limits.playAnswerTimeout
        // One person's browser, with several tabs.
        configuration.limits.streamsPerClient = configuration.limits.streams
        return try HTTPServer.open(configuration: configuration, handler: handler, logger: logger)
    }

    private func announce(_ page: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("Ready: \(page)\n".utf8))
        guard opensBrowser else { return }
        let browser = Process()
        browser.executableURL = URL(filePath: "/usr/bin/env")
        browser.arguments = ["xdg-open", page]
        browser.standardInput = FileHandle.nullDevice
        browser.standardOutput = FileHandle.nullDevice
        browser.standardError = FileHandle.nullDevice
        do {
            try browser.run()
        } catch {
            DownloadCommand.printError("no browser can be opened: \(error)")
        }
    }
}

/// A file that the installation puts beside the program: `share/backcast` next to the program's folder.
enum InstalledFile {
    /// The bytes of a file; nil when it is not there or too large.
    static func bytes(_ name: String, upTo limit: Int) -> [UInt8]? {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else {
            return nil
        }
        let folder = URL(filePath: program).deletingLastPathComponent()
        for place in [folder.deletingLastPathComponent(), folder] {
            let file = place.appending(path: "share/backcast/\(name)")
            if let data = try? Data(contentsOf: file), data.count <= limit { return Array(data) }
        }
        return nil
    }
}
