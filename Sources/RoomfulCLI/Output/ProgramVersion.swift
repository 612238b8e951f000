/// Which version of the program this is (semantic versioning 2.0.0); `Scripts/dist.sh` names its packages by it.
enum ProgramVersion {
    static let text = "0.9.0"
}
