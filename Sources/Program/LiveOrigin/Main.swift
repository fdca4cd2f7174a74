@main
struct LiveOriginMain {
    static func main() {}
}
