/*  Moments and integers, from text and to text. */

#include "texts.h"

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)

static int digits(const char *text, int count, int *value) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9')
      return 0;
    sum = 10 * sum + text[i] - '0';
  }
  *value = sum;
  return 1;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar; a year is counted from March on. */
static int64_t days_from_civil(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t of_era = year - era * 400, of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int days_in(int year, int month) {
  if (month == 2)
    return 28 + ((year % 4 == 0 && year % 100) || year % 400 == 0);
  return 30 + ((month + (month > 7)) & 1);
}

int read_moment(const char *text, size_t length, int64_t *time) {
  int year, month, day, hour, minute, second, fraction = 0;
  if (length < 20 || length > 27 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text[length - 1] != 'Z')
    return 0;
  if (!digits(text, 4, &year) || !digits(text + 5, 2, &month) || !digits(text + 8, 2, &day) ||
      !digits(text + 11, 2, &hour) || !digits(text + 14, 2, &minute) || !digits(text + 17, 2, &second))
    return 0;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour > 23 || minute > 59 ||
      second > 59)
    return 0;
  if (length > 20) {
    int count = (int)length - 21;
    if (text[19] != '.' || !count || !digits(text + 20, count, &fraction))
      return 0;
    for (; count < 6; count++)
      fraction *= 10;
  }
  int64_t days = days_from_civil(year, month, day);
  *time = (((days * 24 + hour) * 60 + minute) * 60 + second) * SECOND + fraction;
  return 1;
}

int read_integer(const char *text, size_t length, int64_t *number) {
  size_t at = length && (text[0] == '-' || text[0] == '+');
  if (at == length || length - at > 18)
    return 0;
  int64_t sum = 0;
  for (size_t i = at; i < length; i++) {
    if (text[i] < '0' || text[i] > '9')
      return 0;
    sum = 10 * sum + text[i] - '0';
  }
  *number = text[0] == '-' ? -sum : sum;
  return 1;
}

static char *write_digits(char *out, int64_t value, int count) {
  for (int i = count - 1; i >= 0; i--, value /= 10)
    out[i] = (char)('0' + value % 10);
  return out + count;
}

char *write_integer(char *out, int64_t number) {
  uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
  char text[INTEGER_ROOM];
  int at = INTEGER_ROOM;
  do
    text[--at] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0)
    *out++ = '-';
  memcpy(out, text + at, (size_t)(INTEGER_ROOM - at));
  return out + INTEGER_ROOM - at;
}

char *write_moment(char *out, int64_t time) {
  int64_t days = time / DAY, rest = time % DAY;
  if (rest < 0) {
    rest += DAY;
    days--;
  }
  days += 719468;
  int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
  int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * years + years / 4 - years / 100), months = (5 * of_year + 2) / 153;
  int64_t month = months < 10 ? months + 3 : months - 9, day = of_year - (153 * months + 2) / 5 + 1;
  int64_t year = years + era * 400 + (month <= 2);
  if (year < 0) {
    *out++ = '-';
    year = -year;
  }
  out = year > 9999 ? write_integer(out, year) : write_digits(out, year, 4);
  *out++ = '-';
  out = write_digits(out, month, 2);
  *out++ = '-';
  out = write_digits(out, day, 2);
  *out++ = 'T';
  int64_t seconds = rest / SECOND, fraction = rest % SECOND;
  out = write_digits(out, seconds / 3600, 2);
  *out++ = ':';
  out = write_digits(out, seconds / 60 % 60, 2);
  *out++ = ':';
  out = write_digits(out, seconds % 60, 2);
  if (fraction) {
    *out++ = '.';
    int count = 6;
    for (; fraction % 10 == 0; fraction /= 10)
      count--;
    out = write_digits(out, fraction, count);
  }
  *out++ = 'Z';
  return out;
}
