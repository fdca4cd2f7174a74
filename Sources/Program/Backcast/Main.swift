@main
struct BackcastMain {
    static func main() {}
}
