// Asks on many connections for answers without a body, HEAD or 304: wrk waits for the body that their Content-Length states.
// Arguments: port, file of targets, seconds, connections, method, header fields. Prints the results as JSON, named as in wrk.lua.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_LIMIT = 16384, TARGET_LIMIT = 65536, TIME_LIMIT = 4000000, EVENTS = 64 };

struct connection {
    int descriptor;
    double began;
    size_t filled;
    char answer[ANSWER_LIMIT];
};

static char *targets[TARGET_LIMIT], method[16], fields[4096];
static size_t target_count, next_target, request_count, byte_count;
static int refused, broken;
static float *times;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void ask(struct connection *connection) {
    char request[8192];
    int length = snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", method,
                          targets[next_target++ % target_count], fields);
    connection->filled = 0;
    connection->began = now();
    if (send(connection->descriptor, request, (size_t)length, MSG_NOSIGNAL) != length) broken++;
}

// A whole header is a whole answer.
static void receive(struct connection *connection) {
    ssize_t count = recv(connection->descriptor, connection->answer + connection->filled, ANSWER_LIMIT - connection->filled, 0);
    if (count <= 0) {
        broken++;
        close(connection->descriptor);
        return;
    }
    byte_count += (size_t)count;
    connection->filled += (size_t)count;
    if (connection->filled < 16 || memcmp(connection->answer + connection->filled - 4, "\r\n\r\n", 4) != 0) return;
    if (request_count < TIME_LIMIT) times[request_count] = (float)(now() - connection->began);
    request_count++;
    if (connection->answer[9] >= '4') refused++;
    ask(connection);
}

static int by_size(const void *one, const void *other) {
    float difference = *(const float *)one - *(const float *)other;
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

static void read_targets(const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file) fail(path);
    while (target_count < TARGET_LIMIT && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        targets[target_count++] = strdup(line);
    }
    fclose(file);
    free(line);
}

int main(int count, char **arguments) {
    if (count < 6) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    read_targets(arguments[2]);
    snprintf(method, sizeof method, "%s", arguments[5]);
    for (int index = 6; index < count; index++) {
        size_t end = strlen(fields);
        snprintf(fields + end, sizeof fields - end, "%s\r\n", arguments[index]);
    }
    int connections = atoi(arguments[4]), loop = epoll_create1(0), on = 1;
    times = calloc(TIME_LIMIT, sizeof *times);
    struct connection *all = calloc((size_t)connections, sizeof *all);
    if (loop < 0 || !times || !all || !target_count) fail("start");
    for (int index = 0; index < connections; index++) {
        struct connection *connection = &all[index];
        connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
        setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(loop, EPOLL_CTL_ADD, connection->descriptor, &event);
    }
    double start = now(), length = atof(arguments[3]) * 1e3;
    for (int index = 0; index < connections; index++) ask(&all[index]);
    while (now() - start < length) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(loop, events, EVENTS, 100);
        for (int index = 0; index < ready; index++) receive(events[index].data.ptr);
    }
    double passed = now() - start;
    size_t kept = request_count < TIME_LIMIT ? request_count : TIME_LIMIT;
    qsort(times, kept, sizeof *times, by_size);
    printf("{\"requests\": %zu, \"seconds\": %f, \"bytes\": %zu, \"refused\": %d, \"broken\": %d, \"p50\": %f, \"p99\": %f, \"worst\": %f}\n",
           request_count, passed / 1e3, byte_count, refused, broken, kept ? times[kept / 2] : 0,
           kept ? times[kept - 1 - kept / 100] : 0, kept ? times[kept - 1] : 0);
    return 0;
}
