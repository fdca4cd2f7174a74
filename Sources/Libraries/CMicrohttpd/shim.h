#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/* libmicrohttpd's entry points for starting a daemon and asking about a connection are variadic, which Swift cannot
   call. Here they have types. */

struct backcast_daemon_options {
  unsigned int flags;
  int listen_socket;
  unsigned int thread_count;
  unsigned int connection_limit;
  unsigned int idle_timeout_seconds;
  size_t connection_memory;
  int strict_for_client;
  MHD_LogCallback log;
  MHD_AcceptPolicyCallback accept;
  MHD_AccessHandlerCallback answer;
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *context;
};

static inline struct MHD_Daemon *backcast_daemon_start(const struct backcast_daemon_options *o) {
  struct MHD_OptionItem pool[] = {
    { MHD_OPTION_THREAD_POOL_SIZE, (intptr_t) o->thread_count, NULL },
    { MHD_OPTION_END, 0, NULL }
  };
  if (o->thread_count < 2)
    pool[0].option = MHD_OPTION_END;
  return MHD_start_daemon(
    o->flags, 0, o->accept, o->context, o->answer, o->context,
    MHD_OPTION_EXTERNAL_LOGGER, o->log, o->context,
    MHD_OPTION_LISTEN_SOCKET, o->listen_socket,
    MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
    MHD_OPTION_CONNECTION_TIMEOUT, o->idle_timeout_seconds,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->connection_memory,
    MHD_OPTION_STRICT_FOR_CLIENT, o->strict_for_client,
    MHD_OPTION_URI_LOG_CALLBACK, o->target, o->context,
    MHD_OPTION_UNESCAPE_CALLBACK, o->unescape, o->context,
    MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
    MHD_OPTION_NOTIFY_CONNECTION, o->connection, o->context,
    MHD_OPTION_ARRAY, pool,
    MHD_OPTION_END);
}

static inline int backcast_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

static inline const struct sockaddr *backcast_connection_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

static inline void *backcast_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static inline size_t backcast_connection_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

static inline unsigned int backcast_connection_status(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);
  return info == NULL ? 0 : info->http_status;
}

/* No body length is announced and no chunk is sent: the end of the connection ends the answer. */
static inline enum MHD_Result backcast_response_close_framed(struct MHD_Response *response) {
  return MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

#endif
