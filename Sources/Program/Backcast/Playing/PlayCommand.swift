import ArgumentParser
import Downloader
import Foundation
import HTTPServer

/// Serves a folder of downloads on this machine: a page, a player and an interface for programs.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Plays and manages a folder of downloads in a browser on this machine",
        discussion: """
            Prints the address of its page. Tasks play while they are downloaded. Tasks that were running when \
            the program ended go on. Ends with status 1 when the folder is in use, 2 for wrong arguments.
            """)

    @Argument(help: ArgumentHelp("The folder of all tasks.", valueName: "folder"))
    var folder = "./downloads"

    @Option(help: ArgumentHelp("A loopback address; port 0 is one that is free.", valueName: "address:port"))
    var listen = "127.0.0.1:0"

    @Flag(help: "Open the page in a browser.")
    var open = false

    @OptionGroup(title: "Bounds") var transfers: TransferFlags

    func run() async throws {
        ProcessLimits.setSignals()
        let address: ListenAddress
        let options: DownloadOptions
        do {
            try DownloadCommand.checkFolder(folder, "FOLDER")
            address = try ListenAddress.reading(listen)
            options = try transfers.options()
        } catch {
            let message = (error as? ValidationError)?.message ?? "\(error)"
            throw DownloadCommand.failure(message, status: 2)
        }
        guard address.host.hasPrefix("127.") || address.host == "::1" else {
            throw DownloadCommand.failure("--listen \(listen) is not a loopback address", status: 2)
        }
        let run = PlayRun(
            folder: folder, address: address, options: options, proxy: transfers.proxy, opensBrowser: open)
        try await run.carryOut()
    }
}
